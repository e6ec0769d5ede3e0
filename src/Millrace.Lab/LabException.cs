namespace Millrace.Lab;

/// <summary>The laboratory cannot do what was asked, and the message tells the user why and what to do.</summary>
internal class LabException : Exception
{
    /// <summary>States the problem and what to do about it.</summary>
    public LabException(string message)
        : base(message)
    {
    }

    /// <summary>States the problem and what to do about it.</summary>
    public LabException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

/// <summary>A suite has no case that the filters select.</summary>
internal sealed class NoCaseException : LabException
{
    /// <summary>States what was asked for and what cases are called.</summary>
    public NoCaseException(string message)
        : base(message)
    {
    }
}
