using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Millrace.Lab.Running;

/// <summary>The methods of one benchmark with the parameters of one case. All invocations of the case share an instance.</summary>
internal abstract class CaseMethod : IDisposable
{
    /// <summary>Stopwatch ticks of the last invocation inside the calls that read, without awaits; 0 unless measured.</summary>
    public virtual long CallingThreadTicks => 0;

    /// <summary>Asks the next invocation to fill <see cref="Description"/>; off while measuring.</summary>
    public virtual bool DescribesItself { get; set; }

    /// <summary>The choice that the method made, for example a strategy; null when it has none.</summary>
    public virtual string? Description { get; protected set; }
    public virtual string? DescriptionReason { get; protected set; }

    /// <summary>The process that does the work, whose meters count, once it was asked to; null when it is this one.</summary>
    public virtual int? WorkingProcess => null;

    /// <summary>What that process used in the last invocation, where it counts that itself.</summary>
    public virtual ProcessCounters? Used => null;

    /// <summary>Bytes that the last invocation sent and received; null where that is not counted.</summary>
    public virtual long? NetworkBytes => null;

    /// <summary>Finds a method by its name in results. It returns a number that the compiler cannot leave out.</summary>
    public abstract Func<long> Find(string name);

    public virtual void Dispose()
    {
    }

    /// <summary>Makes an asynchronous method one that blocks, without allocating anything in an invocation.</summary>
    protected static Func<long> Wait(Func<ValueTask<long>> method) => new Waiter(method).Run;

    /// <summary>Notes which strategy a reader took, when the next invocation is asked to describe itself.</summary>
    protected void Describe(FilePipeReader reader)
    {
        if (DescribesItself)
        {
            Description = reader.Strategy.ToString();
            DescriptionReason = reader.StrategyReason;
        }
    }

    protected static ArgumentException Unknown(string name) => new($"Unknown method: {name}.", nameof(name));

    // As a Task would, a semaphore or an event per invocation would allocate, and that would count as the method's.
    private sealed class Waiter
    {
        private readonly Func<ValueTask<long>> _method;
        private readonly Action _complete;
        private readonly object _gate = new();
        private bool _isComplete;

        public Waiter(Func<ValueTask<long>> method)
        {
            _method = method;
            _complete = Complete;
        }

        [SuppressMessage("Reliability", "CA2012", Justification = "The result is taken once, and only when the task is complete.")]
        public long Run()
        {
            ConfiguredValueTaskAwaitable<long>.ConfiguredValueTaskAwaiter awaiter = _method().ConfigureAwait(false).GetAwaiter();
            if (!awaiter.IsCompleted)
            {
                Block(awaiter);
            }

            return awaiter.GetResult();
        }

        private void Block(ConfiguredValueTaskAwaitable<long>.ConfiguredValueTaskAwaiter awaiter)
        {
            lock (_gate)
            {
                _isComplete = false;
                awaiter.UnsafeOnCompleted(_complete);
                while (!_isComplete)
                {
                    Monitor.Wait(_gate);
                }
            }
        }

        private void Complete()
        {
            lock (_gate)
            {
                _isComplete = true;
                Monitor.Pulse(_gate);
            }
        }
    }
}
