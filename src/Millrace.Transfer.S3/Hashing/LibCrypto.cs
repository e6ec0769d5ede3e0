using System.Runtime.InteropServices;

namespace Millrace.Transfer.S3;

/// <summary>SHA256_Update(3) of OpenSSL, whose state is a plain structure, unlike that of the newer functions.</summary>
internal static unsafe class LibCrypto
{
    private static readonly delegate* unmanaged<Sha256State.Context*, byte*, nuint, int> UpdateFunction = Find();

    /// <summary>Whether the system has it. libcrypto stays loaded: the framework uses the same one.</summary>
    public static bool HasSha256 => UpdateFunction is not null;

    public static void Update(ref Sha256State.Context context, ReadOnlySpan<byte> content)
    {
        fixed (Sha256State.Context* state = &context)
        fixed (byte* data = content)
        {
            _ = UpdateFunction(state, data, (nuint)content.Length);
        }
    }

    private static delegate* unmanaged<Sha256State.Context*, byte*, nuint, int> Find() =>
        OperatingSystem.IsLinux()
        && NativeLibrary.TryLoad("libcrypto.so.3", out nint library)
        && NativeLibrary.TryGetExport(library, "SHA256_Update", out nint function)
            ? (delegate* unmanaged<Sha256State.Context*, byte*, nuint, int>)function
            : null;
}
