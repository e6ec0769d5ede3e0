namespace Millrace;

/// <summary>Tells whether a record begins somewhere in a file.</summary>
/// <param name="offset">The place, in bytes from the start of the file.</param>
/// <param name="following">
/// The bytes from there on: as many as were asked for, fewer near the end of the part that is read. Valid during the call only.
/// </param>
public delegate bool RecordStart(long offset, ReadOnlySpan<byte> following);
