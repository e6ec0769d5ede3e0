using Millrace.Lab.Meters;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>The engines of a group of cases. Dispose it to run their global cleanups.</summary>
internal sealed class EngineSet : IDisposable
{
    private readonly List<CaseEngineOf> _entries = [];

    /// <summary>Makes an engine for every case.</summary>
    public EngineSet(BenchmarkCatalog catalog, IEnumerable<FileCase> plan, Func<FileCase, IIterationState> state, ProcessMeters meters)
    {
        foreach (FileCase entry in plan)
        {
            var labCase = new LabCase(
                entry.Plan, entry.Name, entry.Role, catalog.Create(entry.Method, entry.Values), entry.Parameters);
            _entries.Add(new CaseEngineOf(labCase, new CaseEngine(labCase, state(entry), meters)));
        }
    }

    /// <summary>In the order of the plan.</summary>
    public IReadOnlyList<CaseEngineOf> Entries => _entries;

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (CaseEngineOf entry in _entries)
        {
            entry.Dispose();
        }
    }
}
