using Millrace.Lab.Data;

namespace Millrace.Lab.Running;

/// <summary>The files that a process of its own serves until its standard input ends.</summary>
/// <param name="Suite">The suite's name.</param>
/// <param name="Inputs">The files.</param>
internal sealed record ServeRequest(string Suite, IReadOnlyList<TestFile> Inputs);
