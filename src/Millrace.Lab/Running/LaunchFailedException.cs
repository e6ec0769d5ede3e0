namespace Millrace.Lab.Running;

/// <summary>A launch's process died. Others may still come to their end.</summary>
internal sealed class LaunchFailedException : Exception
{
    /// <summary>States what became of the process.</summary>
    public LaunchFailedException(string message)
        : base(message)
    {
    }
}
