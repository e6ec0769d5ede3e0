namespace Millrace.Interop;

/// <summary>Which native calls may be used at all. What a call answers is probed where it is made.</summary>
internal static class NativeFeatures
{
    public const string PortableVariable = "MILLRACE_PORTABLE";

    /// <summary>
    /// False on systems other than Linux on x64 and arm64, and where <see cref="PortableVariable"/> or the runtime switch
    /// <c>Millrace.Portable</c> says so.
    /// </summary>
    public static bool Linux { get; } =
        OperatingSystem.IsLinux() && SystemCallNumber.AreKnown && !Forced(PortableVariable, "Millrace.Portable");

    /// <summary>False where <c>MILLRACE_NO_MAPPING=1</c> or the runtime switch <c>Millrace.NoMapping</c> keeps mapping out.</summary>
    public static bool Mapping { get; } = Linux && !Forced("MILLRACE_NO_MAPPING", "Millrace.NoMapping");

    /// <summary>False where <c>MILLRACE_NO_IO_URING=1</c> or the runtime switch <c>Millrace.NoIoUring</c> keeps io_uring out.</summary>
    public static bool IoUring { get; } = Linux && !Forced("MILLRACE_NO_IO_URING", "Millrace.NoIoUring");

    private static bool Forced(string variable, string runtimeSwitch) =>
        Environment.GetEnvironmentVariable(variable) is "1" or "true"
        || (AppContext.TryGetSwitch(runtimeSwitch, out bool set) && set);
}
