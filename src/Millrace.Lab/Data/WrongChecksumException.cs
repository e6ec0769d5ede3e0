namespace Millrace.Lab.Data;

/// <summary>A method did not read what is in the file.</summary>
public sealed class WrongChecksumException : Exception
{
    /// <summary>States what was expected and what was found.</summary>
    public WrongChecksumException(TestFile file, long bytes, long sum)
        : base($"read {bytes:N0} bytes with the sum {sum}; {file?.Path} has {file?.Bytes:N0} bytes with the sum "
            + $"{file?.Checksum}. Either the method is wrong or the file was changed during the run.")
    {
    }
}
