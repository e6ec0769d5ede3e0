namespace Millrace.Lab;

/// <summary>The laboratory cannot do what was asked, and the message tells the user why and what to do.</summary>
internal class LabException(string message, Exception? innerException = null) : Exception(message, innerException);

/// <summary>A suite has no case that the filters select.</summary>
internal sealed class NoCaseException(string message) : LabException(message);
