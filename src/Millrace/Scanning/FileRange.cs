namespace Millrace.Scanning;

/// <summary>A part of a file, in bytes from its start.</summary>
/// <param name="Start">The first byte.</param>
/// <param name="End">Behind the last one; <see cref="long.MaxValue"/> for wherever the file ends.</param>
internal readonly record struct FileRange(long Start, long End);
