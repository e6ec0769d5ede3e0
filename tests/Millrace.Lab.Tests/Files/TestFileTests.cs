using System.Buffers.Binary;

namespace Millrace.Lab.Tests.Files;

public sealed class TestFileTests : FolderTests
{
    [Theory]
    [InlineData(TestFileMaker.LargeWrite, (1024 * 1024) + 4096 + 8)]
    [InlineData(TestFileMaker.SmallWrite, (1024 * 1024) + 4096 + 8)]
    [InlineData(TestFileMaker.LargeWrite, 8)]
    [InlineData(TestFileMaker.LargeWrite, 16)]
    [InlineData(TestFileMaker.LargeWrite, 24)]
    public void Generated_file_contains_incrementing_integers(int pieces, long length)
    {
        TestFile file = TestFile.OfIncrements(Folder.Path, length);
        TestFileMaker.Write(file, pieces);
        byte[] bytes = File.ReadAllBytes(file.Path);
        Assert.Equal(file.Bytes, bytes.Length);
        long sum = 0;
        for (int i = 0; i < bytes.Length; i += 8)
        {
            long value = BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(i));
            Assert.Equal(i / 8, value);
            sum += value;
        }

        Assert.Equal(sum, file.Checksum);
    }

    [Fact]
    public void Writing_again_repairs_a_damaged_file()
    {
        TestFile file = TestFile.OfIncrements(Folder.Path, 4096);
        File.WriteAllBytes(file.Path, new byte[10_000]);
        TestFileMaker.Write(file, TestFileMaker.LargeWrite);
        Assert.Equal(file.Checksum, UserFile.Inspect(file.Path).Checksum);
        Assert.Equal(4096, new FileInfo(file.Path).Length);
    }

    [Theory]
    [InlineData(TestFileMaker.LargeWrite)]
    [InlineData(TestFileMaker.SmallWrite)]
    public void Random_file_has_the_expected_sum(int pieces)
    {
        TestFile file = TestFile.OfRandom(Folder.Path, (1024 * 1024) + 4096 + 8);
        TestFileMaker.Write(file, pieces);
        byte[] bytes = File.ReadAllBytes(file.Path);
        Assert.Equal(file.Bytes, bytes.Length);
        Assert.Equal(bytes.Sum(value => (long)value), file.Checksum);
        Assert.Equal(file.Checksum, UserFile.Inspect(file.Path, FileContent.Random).Checksum);

        // Every value as often as chance has it: 4,112 times, give or take 64.
        Assert.All(bytes.CountBy(value => value), count => Assert.InRange(count.Value, 3700, 4500));

        // The same in every process, today and with the next runtime.
        Assert.Equal("C15C0289", Convert.ToHexString(bytes.AsSpan(0, 4)));
    }

    [Fact]
    public void Text_files_have_the_stated_lines_and_bytes()
    {
        foreach (TestFile file in new[] { TestFile.OfCsv(Folder.Path), TestFile.OfFirstLines(Folder.Path) })
        {
            TestFileMaker.Write(file, TestFileMaker.LargeWrite);
            Assert.Equal(file.Bytes, new FileInfo(file.Path).Length);
            Assert.Equal(file.Checksum, File.ReadLines(file.Path).Count());
        }
    }

    [Fact]
    public void User_file_is_never_written()
    {
        string path = Folder["mine"];
        File.WriteAllText(path, "mine");
        TestFile file = UserFile.Inspect(path);
        Assert.Throws<InvalidOperationException>(() => TestFileMaker.Write(file, TestFileMaker.LargeWrite));
        Assert.Equal("mine", File.ReadAllText(path));
        Assert.Equal(0x656E696D, file.Checksum);
        Assert.Equal(4, file.Bytes);
    }

    [Fact]
    public void Unusable_files_are_rejected_by_name()
    {
        string empty = Folder["empty"];
        File.WriteAllText(empty, "");
        Assert.Contains("is empty", Refusal(empty), StringComparison.Ordinal);
        Assert.Contains("is a folder", Refusal(Folder.Path), StringComparison.Ordinal);
        Assert.Contains("There is no file", Refusal(Folder["none"]), StringComparison.Ordinal);
    }

    private static string Refusal(string path) => Assert.Throws<LabException>(() => UserFile.Inspect(path)).Message;
}
