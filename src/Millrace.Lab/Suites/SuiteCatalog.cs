using Millrace.Lab.Suites.Bytes;
using Millrace.Lab.Suites.Files;
using Millrace.Lab.Suites.Transfers;
using Millrace.Lab.Suites.Writes;

namespace Millrace.Lab.Suites;

/// <summary>All suites of the laboratory.</summary>
public static class SuiteCatalog
{
    /// <summary>In the order in which `lab all` runs them.</summary>
    public static IReadOnlyList<Suite> All { get; } = [new FilesSuite(), new BytesSuite(), new WritesSuite(), new TransfersSuite()];

    /// <summary>The suite of a name.</summary>
    /// <exception cref="LabException">There is none.</exception>
    public static Suite Find(string name) => All.FirstOrDefault(suite => suite.Name == name)
        ?? throw new LabException(
            $"There is no suite \"{name}\". There are: {string.Join(", ", All.Select(suite => suite.Name))}.");
}
