using Millrace.Tuning;

namespace Millrace.Tests.Tuning;

public sealed class CopySizeTests
{
    [Theory]
    [InlineData(true, 1024, 1024)] // Zen 4
    [InlineData(true, 512, 512)] // Zen 3
    [InlineData(true, 0, 256)]
    [InlineData(false, 2048, 256)] // Intel
    public void Size_is_what_was_measured_on_such_a_processor(bool isAmd, int cacheKibibytes, int kibibytes)
    {
        Assert.Equal(kibibytes * 1024, CopySize.For((isAmd, cacheKibibytes * 1024)));
    }
}
