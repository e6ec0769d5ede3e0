using Xunit;
using Xunit.Abstractions;

namespace Millrace.Testing.Runner;

/// <summary>
/// What xunit reports, line by line in a file. If the process hangs or dies, the last line names the test, and the next process goes on
/// with the tests after it.
/// </summary>
internal sealed class TestLog : LongLivedMarshalByRefObject, IMessageSink, IDisposable
{
    /// <summary>The script that ends a hanging process adds this line.</summary>
    private const string Hung = "HUNG";

    private readonly StreamWriter _out;
    private readonly ManualResetEventSlim _finished = new();
    private readonly Lock _gate = new();
    private readonly HashSet<string> _started = [];
    private readonly HashSet<string> _hung = [];
    private string _running = "";
    private (int Passed, int Failed, int Skipped) _before;
    private (int Passed, int Failed, int Skipped) _now;

    public TestLog(string path)
    {
        string[] before = File.Exists(path) ? File.ReadAllLines(path) : [];
        _out = new StreamWriter(path, append: true) { AutoFlush = true };
        foreach (string line in before)
        {
            Count(line);
        }
    }

    public ManualResetEventSlim Discovered { get; } = new();

    public List<ITestCase> Cases { get; } = [];

    /// <summary>Whether an earlier process ran it to its end, or hung in it twice.</summary>
    public bool HasEnded(ITestCase test) => _started.Contains(test.DisplayName);

    public bool OnMessage(IMessageSinkMessage message)
    {
        lock (_gate)
        {
            switch (message)
            {
                case ITestCaseDiscoveryMessage discovery:
                    Cases.Add(discovery.TestCase);
                    break;
                case IDiscoveryCompleteMessage:
                    Discovered.Set();
                    break;
                case ITestStarting starting:
                    Write($"start {starting.Test.DisplayName}");
                    break;
                case ITestPassed:
                    Write("pass");
                    break;
                case ITestSkipped skipped:
                    Write($"skip {skipped.Test.DisplayName}: {skipped.Reason}");
                    break;
                case ITestFailed failed:
                    Write($"FAIL {failed.Test.DisplayName}", failed);
                    break;
                case ITestAssemblyFinished:
                    _finished.Set();
                    break;
                case IFailureInformation failure:
                    Write($"FAIL {message.GetType().Name} after {_running}", failure);
                    break;
            }

            return true;
        }
    }

    /// <summary>Waits for the last test, and writes the line that counts them all.</summary>
    /// <returns>Whether all passed.</returns>
    public bool WaitForEnd()
    {
        _finished.Wait();
        _out.WriteLine($"Failed: {_now.Failed}, Passed: {_now.Passed}, Skipped: {_now.Skipped}");
        return _now.Failed == 0;
    }

    public void Dispose() => _out.Dispose();

    private void Write(string line, IFailureInformation? failure = null)
    {
        _out.WriteLine(line + (failure is null ? "" : Describe(failure)));
        Count(line);
    }

    private void Count(string line)
    {
        string[] words = line.Split([' ', '('], 3);
        switch (words[0])
        {
            case "start":
                _before = words[1] == _running ? _before : _now;
                _running = words[1];
                _ = _started.Add(_running);
                break;
            case "pass":
                _now.Passed++;
                break;
            case "skip":
                _now.Skipped++;
                break;
            case "FAIL":
                _now.Failed++;
                break;
            case Hung when _hung.Add(_running):
                // Once more from its first row.
                _now = _before;
                _ = _started.Remove(_running);
                break;
            case Hung:
                _now.Failed++;
                break;
        }
    }

    // No line of it begins as a line of the log does.
    private static string Describe(IFailureInformation failure) => string.Concat(Enumerable.Range(0, failure.Messages.Length).Select(
        i => $"\n{failure.ExceptionTypes[i]}: {failure.Messages[i]}\n{failure.StackTraces[i]}")).Replace("\n", "\n  ", StringComparison.Ordinal);
}

/// <summary>xunit's options, which have no public class.</summary>
internal sealed class RunnerOptions : ITestFrameworkDiscoveryOptions, ITestFrameworkExecutionOptions
{
    private readonly Dictionary<string, object?> _values = [];

    public TValue GetValue<TValue>(string name) => _values.TryGetValue(name, out object? value) && value is TValue typed ? typed : default!;

    public void SetValue<TValue>(string name, TValue value) => _values[name] = value;
}
