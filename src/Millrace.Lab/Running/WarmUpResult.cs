namespace Millrace.Lab.Running;

/// <summary>How the warm-up went.</summary>
/// <param name="Phases">How many phases it took.</param>
/// <param name="CallsPerMethod">How often each method ran.</param>
/// <param name="CompilerQuiet">Whether next to nothing was compiled any more during the last phase.</param>
internal sealed record WarmUpResult(int Phases, int CallsPerMethod, bool CompilerQuiet);
