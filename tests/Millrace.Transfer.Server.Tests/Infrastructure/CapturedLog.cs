using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Log entries at a level or above.</summary>
internal sealed class CapturedLog(LogLevel level) : ILoggerProvider, ILogger
{
    public ConcurrentQueue<string> Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= level;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        // That Kestrel's timer was not run for a second says something about the machine.
        if (IsEnabled(logLevel) && eventId.Name != "HeartbeatSlow")
        {
            Lines.Enqueue(formatter(state, exception) + exception);
        }
    }

    public void Dispose()
    {
    }
}
