namespace Millrace.Lab.Network;

/// <summary>A <see cref="ShapedLink"/> cannot be made on this machine, and the message says what is missing.</summary>
internal sealed class LinkUnavailableException : LabException
{
    /// <summary>States what is missing and what can be done.</summary>
    public LinkUnavailableException(string message)
        : base(message)
    {
    }

    /// <summary>States what is missing and what can be done.</summary>
    public LinkUnavailableException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
