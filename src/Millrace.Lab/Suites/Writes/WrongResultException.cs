namespace Millrace.Lab.Suites.Writes;

/// <summary>What a method wrote, read back, is not what it was given.</summary>
public sealed class WrongResultException : Exception
{
    /// <summary>States the file and what is wrong with it.</summary>
    public WrongResultException(string path, string what)
        : base($"{path} was read back and {what}. Either the method is wrong or the file was changed during the run.")
    {
    }
}
