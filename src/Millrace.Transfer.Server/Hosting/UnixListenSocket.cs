using System.Net.Sockets;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>Listens on a Unix socket whose path may have a socket that another server left there.</summary>
internal static class UnixListenSocket
{
    /// <summary>Bytes of a path in <c>sockaddr_un</c>, without the zero at the end. https://man7.org/linux/man-pages/man7/unix.7.html</summary>
    private const int MaxPathBytes = 107;

    private const int Backlog = 512;

    private const int Tries = 100;
    private static readonly TimeSpan BetweenTries = TimeSpan.FromMilliseconds(50);

    /// <summary>Makes the socket, which listens when this returns.</summary>
    /// <param name="given">The path.</param>
    /// <param name="mode">The mode, which decides which users may connect.</param>
    /// <param name="options">For the names of settings.</param>
    /// <exception cref="TransferException">The path is too long, or something is there; the message has the remedy.</exception>
    public static Socket Bind(string given, UnixFileMode mode, TransferHostOptions options)
    {
        string setting = options.NameOf("TransferHostOptions.SocketPath");
        string path = Path.GetFullPath(given);
        if (Encoding.UTF8.GetByteCount(path) is > MaxPathBytes and var bytes)
        {
            throw Refused($"The path '{path}' has {bytes} bytes, and that of a Unix socket has at most {MaxPathBytes}. Name a shorter one with {setting}, for example /run/millrace.sock.");
        }

        string folder = Path.GetDirectoryName(path) ?? "/";
        if (!Directory.Exists(folder))
        {
            throw Refused($"The folder '{folder}' of the socket does not exist. Create it with 'mkdir -p {folder}', or name another with {setting}.");
        }

        // Between two servers that find the same old socket, the second would remove the first one's new one.
        using SafeFileHandle? turn = TakeTurn(folder);
        RemoveOld(path, setting);
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            Restrict(socket, mode);
            socket.Bind(new UnixDomainSocketEndPoint(path));
            if (!OperatingSystem.IsWindows())
            {
                // Also the bits that the process's umask took away.
                File.SetUnixFileMode(path, mode);
            }

            socket.Listen(Backlog);
            return socket;
        }
        catch (Exception exception) when (exception is SocketException or IOException or UnauthorizedAccessException)
        {
            socket.Dispose();
            throw Refused(
                $"The socket '{path}' cannot be made: {exception.Message.TrimEnd('.')}. Name another path with {setting}, in a folder where this process may create files.",
                exception);
        }
    }

    /// <summary>Removes a socket at which no server answers.</summary>
    private static void RemoveOld(string path, string setting)
    {
        var there = new FileInfo(path);
        if (there.LinkTarget is not null)
        {
            throw Refused($"'{path}' is a symbolic link, which is not followed. Delete it, or name another path with {setting}.");
        }

        if (Directory.Exists(path))
        {
            throw Refused($"'{path}' is a folder. Name a path in it with {setting}, for example {Path.Combine(path, "millrace.sock")}.");
        }

        if (!there.Exists)
        {
            return;
        }

        if (!SpecialFile.IsSocket(path))
        {
            throw Refused($"'{path}' exists and is not a socket. Delete it, or name another path with {setting}.");
        }

        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            probe.Connect(new UnixDomainSocketEndPoint(path));
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionRefused)
        {
            File.Delete(path);
            return;
        }
        catch (SocketException exception) when (exception.SocketErrorCode is not (SocketError.WouldBlock or SocketError.InProgress or SocketError.TryAgain))
        {
            throw Refused(
                $"A socket is at '{path}', and the system does not tell whether a server answers there: {exception.Message.TrimEnd('.')}. Delete it if none does, or name another path with {setting}.",
                exception);
        }

        // Connected, or so many wait there that the system lets no more wait.
        throw Refused($"Another server answers at '{path}'. Stop it, or name another path with {setting}.");
    }

    /// <summary>Limits who may connect before there is a path, where the system allows that; afterwards in any case.</summary>
    private static void Restrict(Socket socket, UnixFileMode mode)
    {
        if (OperatingSystem.IsLinux())
        {
            using var handle = new SafeFileHandle(socket.Handle, ownsHandle: false);
            File.SetUnixFileMode(handle, mode);
        }
    }

    /// <summary>Lets one server at a time replace sockets of a folder. The lock is the system's: a killed process holds none.</summary>
    private static SafeFileHandle? TakeTurn(string folder)
    {
        if (!NativeFeatures.Linux)
        {
            return null;
        }

        SafeFileHandle handle = Folder.Open(folder);
        for (int i = 0; !handle.IsInvalid && !AdvisoryLock.TryTakeAlone(handle); i++)
        {
            if (i == Tries)
            {
                handle.Dispose();
                throw Refused($"The folder '{folder}' is locked by another process. Try again when that has ended.");
            }

            Thread.Sleep(BetweenTries);
        }

        // One that may not be read cannot be locked.
        return handle;
    }

    private static TransferException Refused(string message, Exception? inner = null) =>
        new(TransferError.Failed, message, innerException: inner);
}
