using System.Diagnostics;
using Xunit;
using Xunit.Abstractions;

namespace Millrace.Testing.Runner;

/// <summary>What xunit reports, line by line in a file: if the process dies, its last line names the test.</summary>
internal sealed class TestLog(string path) : LongLivedMarshalByRefObject, IMessageSink, IDisposable
{
    /// <summary>No test takes so long.</summary>
    private static readonly TimeSpan Stuck = TimeSpan.FromMinutes(5);

    private readonly StreamWriter _out = new(path, append: false) { AutoFlush = true };
    private readonly ManualResetEventSlim _finished = new();
    private readonly Lock _gate = new();
    private long _last = Stopwatch.GetTimestamp();
    private string _running = "";
    private int _passed;
    private int _failed;
    private int _skipped;

    public ManualResetEventSlim Discovered { get; } = new();

    public List<ITestCase> Cases { get; } = [];

    public bool OnMessage(IMessageSinkMessage message)
    {
        lock (_gate)
        {
            _last = Stopwatch.GetTimestamp();
            switch (message)
            {
                case ITestCaseDiscoveryMessage discovery:
                    Cases.Add(discovery.TestCase);
                    break;
                case IDiscoveryCompleteMessage:
                    Discovered.Set();
                    break;
                case ITestStarting starting:
                    _running = starting.Test.DisplayName;
                    _out.WriteLine($"start {_running}");
                    break;
                case ITestPassed:
                    _passed++;
                    break;
                case ITestSkipped skipped:
                    _skipped++;
                    _out.WriteLine($"skip {skipped.Test.DisplayName}: {skipped.Reason}");
                    break;
                case ITestFailed failed:
                    _failed++;
                    _out.WriteLine($"FAIL {failed.Test.DisplayName}\n{Describe(failed)}");
                    break;
                case ITestAssemblyFinished:
                    _finished.Set();
                    break;
                case IFailureInformation failure:
                    _failed++;
                    _out.WriteLine($"FAIL {message.GetType().Name} after {_running}\n{Describe(failure)}");
                    break;
            }

            return true;
        }
    }

    /// <summary>Waits for the last test, and writes the line that counts them all.</summary>
    /// <returns>Whether all passed.</returns>
    public bool WaitForEnd()
    {
        while (!_finished.Wait(TimeSpan.FromSeconds(1)))
        {
            lock (_gate)
            {
                if (Stopwatch.GetElapsedTime(_last) > Stuck)
                {
                    _failed++;
                    _out.WriteLine($"FAIL {_running}\n  It did not end within {Stuck.TotalMinutes} minutes.");
                    break;
                }
            }
        }

        lock (_gate)
        {
            _out.WriteLine($"Failed: {_failed}, Passed: {_passed}, Skipped: {_skipped}");
            return _failed == 0;
        }
    }

    public void Dispose() => _out.Dispose();

    private static string Describe(IFailureInformation failure) => string.Join('\n', Enumerable.Range(0, failure.Messages.Length).Select(
        i => $"  {failure.ExceptionTypes[i]}: {failure.Messages[i]}\n{failure.StackTraces[i]}"));
}

/// <summary>xunit's options, which have no public class of their own.</summary>
internal sealed class RunnerOptions : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
{
    private readonly Dictionary<string, object?> _values = [];

    public TValue GetValue<TValue>(string name) => _values.TryGetValue(name, out object? value) && value is TValue typed ? typed : default!;

    public void SetValue<TValue>(string name, TValue value) => _values[name] = value;
}
