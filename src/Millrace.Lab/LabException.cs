namespace Millrace.Lab;

/// <summary>The laboratory cannot do as asked; the message gives the user the reason and the remedy.</summary>
internal class LabException(string message, Exception? innerException = null) : Exception(message, innerException);

/// <summary>A suite has no case that the filters select.</summary>
internal sealed class NoCaseException(string message) : LabException(message);
