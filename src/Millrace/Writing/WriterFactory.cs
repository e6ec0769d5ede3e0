using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Writing;

internal static class WriterFactory
{
    public static FilePipeWriter Create(string path, in FileWriteOptions options) => Open(
        StagedFile.Create(path, options.CreateNew, options.UnixCreateMode, NativeFeatures.Linux && !options.Portable), options);

    public static FilePipeWriter Resume(string part, string path, in FileWriteOptions options) => Open(
        StagedFile.Continue(part, path, options.CreateNew, options.UnixCreateMode, NativeFeatures.Linux && !options.Portable),

        // Direct writes whole pages, and a resumed file ends anywhere.
        options.Strategy == WriteStrategy.Direct ? options with { Strategy = WriteStrategy.Buffered } : options);

    private static FilePipeWriter Open(StagedFile file, in FileWriteOptions options)
    {
        FileSizeLimit.Prepare();
        try
        {
            file.Reserve(options.PreallocationSize);
            return Choose(file, options);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static FilePipeWriter Choose(StagedFile file, in FileWriteOptions options)
    {
        switch (options.Strategy)
        {
            case WriteStrategy.Direct:
                string? refusal = DirectFileWriter.TryCreate(file, options, out DirectFileWriter? direct);
                return direct is not null
                    ? direct
                    : new BufferedFileWriter(file, options, WriteStrategy.Buffered, refusal!);
            case WriteStrategy.Buffered:
                return new BufferedFileWriter(file, options, WriteStrategy.Buffered, "asked for");
            case WriteStrategy.WriteBehind:
                return file.Native
                    ? new BufferedFileWriter(file, options, WriteStrategy.WriteBehind, "asked for")
                    : new BufferedFileWriter(file, options, WriteStrategy.Buffered, "the system has no call to start write-back");
            default:
                return file.Native && !options.KeepCached
                    ? new BufferedFileWriter(file, options, WriteStrategy.WriteBehind, "pages leave the page cache once they are written")
                    : file.Native && options.Durability != Durability.None
                    ? new BufferedFileWriter(file, options, WriteStrategy.WriteBehind, "durable files are better flushed early")
                    : new BufferedFileWriter(file, options, WriteStrategy.Buffered, "nothing waits for the device");
        }
    }
}
