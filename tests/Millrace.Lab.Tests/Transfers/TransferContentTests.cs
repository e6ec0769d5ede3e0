namespace Millrace.Lab.Tests.Transfers;

public sealed class TransferContentTests : FolderTests
{
    private const int Length = 300_000;

    private readonly TestFile _source;

    public TransferContentTests()
    {
        _source = TestFile.OfRandom(Folder.Path, Length);
        TestFileMaker.Write(_source, TestFileMaker.LargeWrite);
    }

    [Fact]
    public void Copy_is_accepted()
    {
        string copy = Folder["copy"];
        File.Copy(_source.Path, copy);
        TransferContent.Verify(copy, _source);
    }

    [Fact]
    public void Changed_byte_is_detected()
    {
        string copy = Folder["copy"];
        byte[] bytes = File.ReadAllBytes(_source.Path);
        bytes[^1] ^= 1;
        File.WriteAllBytes(copy, bytes);
        WrongResultException exception =
            Assert.Throws<WrongResultException>(() => TransferContent.Verify(copy, _source));
        Assert.Contains("SHA-256", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Length - 1)]
    [InlineData(Length + 1)]
    public void Wrong_length_is_detected(int length)
    {
        string copy = Folder["copy"];
        byte[] bytes = File.ReadAllBytes(_source.Path);
        Array.Resize(ref bytes, length);
        File.WriteAllBytes(copy, bytes);
        Assert.Throws<WrongResultException>(() => TransferContent.Verify(copy, _source));
    }

    [Fact]
    public void Missing_copy_is_detected() =>
        Assert.Throws<WrongResultException>(() => TransferContent.Verify(Folder["none"], _source));
}
