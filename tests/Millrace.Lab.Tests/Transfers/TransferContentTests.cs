namespace Millrace.Lab.Tests.Transfers;

public sealed class TransferContentTests : IDisposable
{
    private const int Length = 300_000;

    private readonly TemporaryFolder _folder = new();
    private readonly TestFile _source;

    public TransferContentTests()
    {
        _source = TestFile.OfRandom(_folder.Path, Length);
        TestFileMaker.Write(_source, TestFileMaker.LargeWrite);
    }

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Copy_is_accepted()
    {
        string copy = _folder["copy"];
        File.Copy(_source.Path, copy);
        TransferContent.Verify(copy, _source);
    }

    [Fact]
    public void Changed_byte_is_detected()
    {
        string copy = _folder["copy"];
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
        string copy = _folder["copy"];
        byte[] bytes = File.ReadAllBytes(_source.Path);
        Array.Resize(ref bytes, length);
        File.WriteAllBytes(copy, bytes);
        Assert.Throws<WrongResultException>(() => TransferContent.Verify(copy, _source));
    }

    [Fact]
    public void Missing_copy_is_detected() =>
        Assert.Throws<WrongResultException>(() => TransferContent.Verify(_folder["none"], _source));
}
