namespace Millrace.Lab.Suites.Files;

/// <summary>The consumers of the methods that read a stream into one reused array.</summary>
internal static class StreamConsumer<TClock>
    where TClock : struct, ICallClock
{
    public static ReadOutcome Sum(Stream stream, byte[] array)
    {
        var checksum = default(Checksum);
        long callTicks = 0;
        while (true)
        {
            long start = TClock.Start();
            int read = stream.Read(array, 0, array.Length);
            callTicks += TClock.Since(start);
            if (read == 0)
            {
                return new ReadOutcome(checksum.Sum, checksum.Bytes, callTicks);
            }

            checksum.Add(array.AsSpan(0, read));
        }
    }

    public static async ValueTask<ReadOutcome> SumAsync(Stream stream, Memory<byte> array)
    {
        var checksum = default(Checksum);
        long callTicks = 0;
        while (true)
        {
            long start = TClock.Start();
            ValueTask<int> pending = stream.ReadAsync(array);
            callTicks += TClock.Since(start);
            int read = await pending.ConfigureAwait(false);
            if (read == 0)
            {
                return new ReadOutcome(checksum.Sum, checksum.Bytes, callTicks);
            }

            checksum.Add(array.Span[..read]);
        }
    }
}
