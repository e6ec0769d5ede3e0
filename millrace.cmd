@echo off
rem Runs the millrace command from the sources: builds what is stale, then starts it in the caller's folder.
setlocal
set "ROOT=%~dp0"
rem The laboratory is a program of its own, which gets what follows "lab".
set "NAME=Millrace.Cli"
set "ARGUMENTS=%*"
if "%~1"=="lab" (
    set "NAME=Millrace.Lab.Cli"
    call set "ARGUMENTS=%%ARGUMENTS:~3%%"
)
set "PROJECT=%ROOT%src\%NAME%"
set "COMMAND=%PROJECT%\bin\Release\net10.0\%NAME%.dll"
set "STAMP=%PROJECT%\bin\Release\.millrace-built"

where dotnet >nul 2>nul
if errorlevel 1 (
    echo millrace needs the .NET 10 SDK, and there is no "dotnet" on PATH. 1>&2
    goto how_to_get
)

set "VERSION="
pushd "%ROOT%"
for /f "delims=" %%v in ('dotnet --version 2^>nul') do set "VERSION=%%v"
popd
if not "%VERSION:~0,3%"=="10." (
    echo millrace needs the .NET 10 SDK; this machine has: %VERSION% 1>&2
    goto how_to_get
)

rem Stale when anything under src, eng or the root's build files is newer than the stamp of the last build.
powershell -NoProfile -Command "$ErrorActionPreference='Stop'; if (!(Test-Path $env:COMMAND) -or !(Test-Path $env:STAMP)) { exit 1 }; $built = (Get-Item $env:STAMP).LastWriteTimeUtc; $files = @(Get-ChildItem -Recurse ($env:ROOT + 'src'), ($env:ROOT + 'eng') | Where-Object { $_.FullName -notmatch '[\\/](bin|obj)([\\/]|$)' }) + @(Get-Item ($env:ROOT + 'Directory.*.props'), ($env:ROOT + 'global.json')); if ($files | Where-Object { $_.LastWriteTimeUtc -gt $built }) { exit 1 }"
if not errorlevel 1 goto run

echo Building millrace ... 1>&2
for /d %%p in ("%ROOT%src\*") do (
    if not exist "%%p\bin" mkdir "%%p\bin"
    if not exist "%%p\obj" mkdir "%%p\obj"
)
set "LOG=%TEMP%\millrace-build-%RANDOM%.log"
pushd "%ROOT%"
dotnet build "%PROJECT%" -c Release -v quiet --nologo >"%LOG%" 2>&1
if errorlevel 1 (
    popd
    type "%LOG%" 1>&2
    del "%LOG%"
    echo millrace could not be built; the reasons are above. 1>&2
    exit /b 1
)
popd
del "%LOG%"
type nul >"%STAMP%"

:run
dotnet "%COMMAND%" %ARGUMENTS%
exit /b %ERRORLEVEL%

:how_to_get
echo Get it from https://dotnet.microsoft.com/download/dotnet/10.0 1>&2
echo or with: winget install Microsoft.DotNet.SDK.10 1>&2
echo then run this again. 1>&2
exit /b 1
