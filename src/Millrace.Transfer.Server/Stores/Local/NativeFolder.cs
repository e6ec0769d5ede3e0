using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;
using Millrace.Transfer.Server.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// A folder by its descriptor: paths begin with the name that /proc has for it, so that they stay right, and below the
/// root, when somebody renames the folder or puts a link in its place meanwhile.
/// </summary>
internal sealed class NativeFolder(SafeFileHandle handle) : StoreFolder
{
    public override string PathOf(string name) => string.Create(
        CultureInfo.InvariantCulture, $"/proc/self/fd/{(int)handle.DangerousGetHandle()}/{name}");

    public override bool TryLook(string name, out FileFacts facts, out bool isFolder, out bool isLink) =>
        VersionFacts.TryGet(PathOf(name), out facts, out isFolder, out isLink) == 0;

    public override void Flush()
    {
        int error = Folder.Flush(handle);
        if (error != 0)
        {
            throw SystemError.Exception(error);
        }
    }

    protected override void Dispose(bool disposing)
    {
        handle.Dispose();
        base.Dispose(disposing);
    }
}
