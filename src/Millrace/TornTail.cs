namespace Millrace;

/// <summary>An incomplete record that was found at the end of a file, as a crash in the middle of a write leaves it.</summary>
/// <param name="Offset">Where it begins, in bytes from the start of the file.</param>
/// <param name="Length">Its length, in bytes.</param>
public readonly record struct TornTail(long Offset, long Length);
