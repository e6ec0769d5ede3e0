namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Tests with clients of others: a folder for their downloads, and files of every size to do it with.</summary>
public abstract class ClientTest : ServerTest, IDisposable
{
    /// <summary>As large as the file of taxi trips that Millrace measures with.</summary>
    protected const int Large = 24_000_000;

    /// <summary>Nothing, one byte, around a chunk of 64 KiB, and a real file.</summary>
    public static TheoryData<int> Sizes { get; } = new(0, 1, 65_535, 65_536, 65_537, Large);

    /// <summary>Where clients put their downloads.</summary>
    protected string Here { get; } = Directory.CreateTempSubdirectory("millrace-client-").FullName;

    protected string Url(string path) => Server.Url(path).AbsoluteUri;

    protected Task<string> ServeAsync(string name, int length) => Server.WriteAsync(name, Content.Of(length));

    protected string Mine(string name) => Path.Combine(Here, name);

    /// <summary>A file's length as far as it is there.</summary>
    protected long Arrived(string name)
    {
        var file = new FileInfo(Mine(name));
        return file.Exists ? file.Length : 0;
    }

    protected static void AssertSame(string expected, string actual) => Assert.Equal(Sha256(expected), Sha256(actual));

    /// <summary>Past what 32 bits count.</summary>
    protected const long FiveGiB = 5L * 1024 * 1024 * 1024;

    /// <summary>Bytes of a huge file that is transferred whole: past int.MaxValue, and 5 GiB where time does not matter.</summary>
    protected static long WrittenHuge => Soak.Asked ? FiveGiB : 2_362_232_012;

    /// <summary>A huge file of which only a few pieces are on the disk: its end, and what 32 bits count wrongly.</summary>
    protected static void MakeHuge(string path, long length)
    {
        using FileStream file = new(path, FileMode.CreateNew);
        file.SetLength(length);
        foreach (long at in (ReadOnlySpan<long>)[0, int.MaxValue, uint.MaxValue, file.Length - 10])
        {
            if (at < length)
            {
                file.Position = at;
                file.Write("0123456789"u8);
            }
        }
    }

    public void Dispose()
    {
        Directory.Delete(Here, recursive: true);
        GC.SuppressFinalize(this);
    }

    private static string Sha256(string path)
    {
        using FileStream file = File.OpenRead(path);
        return Convert.ToHexString(SHA256.HashData(file));
    }
}
