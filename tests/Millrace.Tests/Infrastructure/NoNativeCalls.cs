using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Infrastructure;

/// <summary>Where all native functions are declared missing, a call of any of them fails as it would then.</summary>
internal static class NoNativeCalls
{
    [ModuleInitializer]
    internal static void Install()
    {
        if (Environment.GetEnvironmentVariable(Interop.NativeFeatures.MissingVariable) == "all")
        {
            NativeLibrary.SetDllImportResolver(
                typeof(FilePipe).Assembly,
                static (name, _, _) => name == "libc" ? throw new EntryPointNotFoundException("MILLRACE_MISSING=all: libc is not to be called.") : 0);
        }
    }
}
