using Millrace.Interop;

namespace Millrace.Tests.Writing;

/// <summary>Paths for Windows' own calls, which take long ones only in another form.</summary>
public sealed class LongPathTests
{
    private static readonly string Long = new('x', 250);

    [Theory]
    [InlineData(@"C:\short", @"C:\short")]
    [InlineData(@"\\server\share\short", @"\\server\share\short")]
    [InlineData(@"C:\*", @"\\?\C:\*")]
    [InlineData(@"\\server\share\*", @"\\?\UNC\server\share\*")]
    [InlineData(@"\\?\C:\*", @"\\?\C:\*")]
    [InlineData(@"\\.\C:\*", @"\\.\C:\*")]
    public void Long_path_is_extended(string path, string expected) =>
        Assert.Equal(expected.Replace("*", Long, StringComparison.Ordinal), WindowsRename.Extended(path.Replace("*", Long, StringComparison.Ordinal)));
}
