using Millrace.Lab.Data;

namespace Millrace.Lab.Running;

/// <summary>The files that a process of its own serves until its standard input ends.</summary>
/// <param name="Suite">The suite's name.</param>
/// <param name="Inputs">The files.</param>
/// <param name="Address">The address that it listens on, which is that of a link's far end; null for loopback.</param>
internal sealed record ServeRequest(string Suite, IReadOnlyList<TestFile> Inputs, string? Address = null);
