using Millrace.Interop;

namespace Millrace.Tests.Faults;

public sealed class SystemErrorTests
{
    /// <summary>macOS: EAGAIN, ENAMETOOLONG, EDQUOT, EDEADLK, ENOSPC, EEXIST and EINPROGRESS in its sys/errno.h.</summary>
    [Theory]
    [InlineData("macOS", 35, FilePipeError.Sharing)]
    [InlineData("macOS", 63, FilePipeError.NameTooLong)]
    [InlineData("macOS", 69, FilePipeError.QuotaExceeded)]
    [InlineData("macOS", 11, FilePipeError.Failed)]
    [InlineData("macOS", 28, FilePipeError.NoSpace)]
    [InlineData("macOS", 17, FilePipeError.NameTaken)]
    [InlineData("macOS", 36, FilePipeError.Failed)]
    [InlineData("Linux", 11, FilePipeError.Sharing)]
    [InlineData("Linux", 36, FilePipeError.NameTooLong)]
    [InlineData("Linux", 122, FilePipeError.QuotaExceeded)]
    [InlineData("Linux", 35, FilePipeError.Failed)]
    [InlineData("Linux", 63, FilePipeError.Failed)]
    [InlineData("Linux", 69, FilePipeError.Failed)]
    public void Error_number_has_the_meaning_of_its_system(string system, int error, FilePipeError expected) =>
        Assert.Equal(expected, SystemError.Kind(system == "macOS" ? Errno.FromMac(error) : error, FilePipeError.Failed));
}
