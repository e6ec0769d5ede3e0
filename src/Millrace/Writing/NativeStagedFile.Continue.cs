using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Writing;

/// <summary>A file that was begun before, under a name of its own and perhaps in another folder.</summary>
internal sealed partial class NativeStagedFile
{
    public static NativeStagedFile Continue(string part, string path, bool mustBeNew, UnixFileMode? mode)
    {
        WriteTarget target = WriteTarget.Find(path, mustBeNew);
        string fullPart = System.IO.Path.GetFullPath(part);
        string partName = System.IO.Path.GetFileName(fullPart);
        SafeFileHandle folder = OpenFolder(target.FullPath, path);
        try
        {
            SafeFileHandle partFolder = OpenFolder(fullPart, part);
            try
            {
                SafeFileHandle handle = OpenPart(partFolder, partName, fullPart, part, (int)Permissions(target, mode));
                TakeAfter(handle, target, mode);
                return new NativeStagedFile(
                    path, target.FullPath, mustBeNew, folder, partFolder, partName, handle, keeps: true);
            }
            catch
            {
                partFolder.Dispose();
                throw;
            }
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }

    private static SafeFileHandle OpenFolder(string file, string shown)
    {
        SafeFileHandle folder = Folder.Open(System.IO.Path.GetDirectoryName(file)!);
        return folder.IsInvalid
            ? throw WriteErrors.Describe("create", shown, 0, Marshal.GetLastPInvokeError())
            : folder;
    }

    private static SafeFileHandle OpenPart(SafeFileHandle folder, string name, string full, string shown, int mode)
    {
        for (int i = 0; ; i++)
        {
            SafeFileHandle handle = Folder.OpenAlone(folder, name, mode, out int error);
            if (error == Errno.Again)
            {
                handle.Dispose();
                throw WriteErrors.Describe("continue", shown, 0, FilePipeError.Sharing, inner: null);
            }

            NamedFile opened = default;
            if (error == 0 && (error = NamedFile.TryGet(handle, out opened)) == 0 && !opened.IsRegular)
            {
                handle.Dispose();
                throw WriteErrors.Describe("continue", shown, 0, FilePipeError.Failed, inner: null);
            }

            // Who held it before us may have published it between our opening it and its lock: then it is a finished file,
            // and no longer ours to write to.
            if (error == 0 && !FileIdentity.IsAnother(handle, full, native: true) && opened.Links > 0)
            {
                return handle;
            }

            AdvisoryLock.Release(handle);
            handle.Dispose();
            if (i == Tries || error != 0)
            {
                throw WriteErrors.Describe("continue", shown, 0, error == 0 ? Errno.NoEntry : error);
            }
        }
    }
}
