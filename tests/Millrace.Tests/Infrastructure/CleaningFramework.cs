using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

[assembly: TestFramework("Millrace.Tests.Infrastructure.CleaningFramework", "Millrace.Tests")]

namespace Millrace.Tests.Infrastructure;

/// <summary>
/// xunit, which empties the test folder after the last test: a handler of the process's exit is not given the time to
/// delete a gigabyte.
/// </summary>
public sealed class CleaningFramework(IMessageSink messageSink) : XunitTestFramework(messageSink)
{
    protected override ITestFrameworkExecutor CreateExecutor(AssemblyName assemblyName) =>
        new Executor(assemblyName, SourceInformationProvider, DiagnosticMessageSink);

    private sealed class Executor(
        AssemblyName assemblyName, ISourceInformationProvider sources, IMessageSink diagnostics)
        : XunitTestFrameworkExecutor(assemblyName, sources, diagnostics)
    {
        protected override async void RunTestCases(
            IEnumerable<IXunitTestCase> testCases, IMessageSink executionMessageSink, ITestFrameworkExecutionOptions options)
        {
            using var runner = new Runner(
                TestAssembly, testCases, DiagnosticMessageSink, executionMessageSink, options);
            await runner.RunAsync();
        }
    }

    private sealed class Runner(
        ITestAssembly assembly,
        IEnumerable<IXunitTestCase> testCases,
        IMessageSink diagnostics,
        IMessageSink execution,
        ITestFrameworkExecutionOptions options)
        : XunitTestAssemblyRunner(assembly, testCases, diagnostics, execution, options)
    {
        protected override async Task BeforeTestAssemblyFinishedAsync()
        {
            await base.BeforeTestAssemblyFinishedAsync();
            TestFolder.Delete();
        }
    }
}
