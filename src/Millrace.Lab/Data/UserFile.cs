using System.Buffers.Binary;

namespace Millrace.Lab.Data;

internal static class UserFile
{
    /// <exception cref="LabException">It is missing, no regular file, empty or not readable.</exception>
    public static TestFile Inspect(string path, FileContent content = FileContent.Integers)
    {
        string full = Path.GetFullPath(path);
        if (Directory.Exists(full))
        {
            throw new LabException($"{path} is a folder. Name a file with --file.");
        }

        try
        {
            if (!File.Exists(full))
            {
                throw new LabException($"There is no file {full}. Check the path that --file names.");
            }

            using FileStream stream = new(full, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
            if (!stream.CanSeek)
            {
                throw new LabException($"{path} is a pipe or a device. Only files on a disk can be measured.");
            }

            (long bytes, long sum) = Sum(stream, content == FileContent.Random ? 1 : sizeof(long));
            return bytes == 0
                ? throw new LabException($"{path} is empty: there is nothing to read. Name a larger file with --file.")
                : new TestFile(full, bytes, sum, Generated: false) { Content = content };
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{path} cannot be read: {exception.Message}", exception);
        }
    }

    // Deliberately not the Checksum that the methods use: the expected sum must not share their mistakes.
    private static (long Bytes, long Sum) Sum(FileStream stream, int step)
    {
        byte[] array = new byte[TestFileMaker.LargeWrite];
        long bytes = 0;
        long sum = 0;
        int read;
        while ((read = stream.ReadAtLeast(array, array.Length, throwOnEndOfStream: false)) > 0)
        {
            bytes += read;
            array.AsSpan(read).Clear();
            for (int i = 0; i < read; i += step)
            {
                sum = unchecked(sum + (step == 1 ? array[i] : BinaryPrimitives.ReadInt64LittleEndian(array.AsSpan(i))));
            }
        }

        return (bytes, sum);
    }
}
