namespace Millrace.Lab.Results;

/// <summary>Results with the file that holds them.</summary>
/// <param name="Path">The file.</param>
/// <param name="Results">Its content.</param>
internal sealed record StoredRun(string Path, LabResults Results);
