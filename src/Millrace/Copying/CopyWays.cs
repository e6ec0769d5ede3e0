namespace Millrace.Copying;

/// <summary>The ways to copy that may be used; tests leave some out.</summary>
[Flags]
internal enum CopyWays
{
    /// <summary>None but the last resort, <see cref="ReadAndWrite"/>, which is always there.</summary>
    None = 0,

    /// <summary>Both files share the blocks until one of them is written to.</summary>
    Reflink = 1,

    /// <summary>The kernel copies, or the device, or the server.</summary>
    Kernel = 2,

    /// <summary>The bytes come to this process and go again.</summary>
    ReadAndWrite = 4,

    /// <summary>The best that there is.</summary>
    All = Reflink | Kernel | ReadAndWrite,
}
