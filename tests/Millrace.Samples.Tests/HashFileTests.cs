using System.Security.Cryptography;

namespace Millrace.Samples.Tests;

public sealed class HashFileTests : FolderTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3_000_001)]
    public async Task The_hash_is_the_one_that_sha256sum_prints(int length)
    {
        byte[] content = Content.Random(length, length);
        string path = Folder["bytes"];
        await File.WriteAllBytesAsync(path, content);

        string output = (await Sample.RunAsync("HashFile", path)).Output;

        Assert.Equal($"{Convert.ToHexStringLower(SHA256.HashData(content))}  {path}", output.Trim());
        if (OperatingSystem.IsLinux())
        {
            Assert.Equal(await Sample.SystemAsync("sha256sum", path), output);
        }
    }
}
