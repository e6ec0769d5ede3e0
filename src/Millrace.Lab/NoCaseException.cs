namespace Millrace.Lab;

/// <summary>A suite has no case that the filters select.</summary>
internal sealed class NoCaseException : LabException
{
    /// <summary>States what was asked for and what cases are called.</summary>
    public NoCaseException(string message)
        : base(message)
    {
    }
}
