@echo off
rem Builds everything and runs every test. On Linux ./test does more (formatting, the portable paths).
setlocal
cd /d "%~dp0"
where dotnet >nul 2>nul
if errorlevel 1 (
  echo Millrace needs the .NET 10 SDK: winget install Microsoft.DotNet.SDK.10
  exit /b 1
)
if "%1"=="--fuzz" (
  echo ./test --fuzz runs on Linux. Here: set MILLRACE_FUZZ_SECONDS=1800, then dotnet test tests/Millrace.Fuzz.Tests -c Release
  exit /b 1
)
if "%1"=="--soak" set MILLRACE_SOAK=1
dotnet test Millrace.slnx -c Release
exit /b %errorlevel%
