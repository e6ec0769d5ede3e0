using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>The engines of a group of cases. Dispose it to run their global cleanups.</summary>
internal sealed class EngineSet : IDisposable
{
    private readonly List<CaseEngineOf> _entries = [];

    private EngineSet()
    {
    }

    /// <summary>In the order of the plan.</summary>
    public IReadOnlyList<CaseEngineOf> Entries => _entries;

    /// <summary>Makes an engine for every case.</summary>
    /// <param name="plan">The cases.</param>
    /// <param name="state">What sets and verifies the state that a case asks for.</param>
    /// <param name="meters">What is read before and after every invocation.</param>
    public static EngineSet Create<TCase>(
        IEnumerable<TCase> plan, Func<TCase, IIterationState> state, ProcessMeters meters)
        where TCase : PlannedCase
    {
        var set = new EngineSet();
        foreach (TCase entry in plan)
        {
            BenchmarkCatalog catalog = BenchmarkCatalog.Of(entry.BenchmarkClass);
            var labCase = new LabCase(
                entry.Plan,
                entry.Name,
                entry.Role,
                catalog.Create(entry.BenchmarkMethod, entry.Values),
                entry.Parameters)
            {
                MayBeBaseline = entry.MayBeBaseline,
                Foreign = entry.Foreign,
            };
            set._entries.Add(new CaseEngineOf(labCase, new CaseEngine(labCase, state(entry), meters)));
        }

        return set;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (CaseEngineOf entry in _entries)
        {
            entry.Dispose();
        }
    }
}
