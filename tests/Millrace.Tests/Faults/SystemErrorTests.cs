using Millrace.Interop;

namespace Millrace.Tests.Faults;

public sealed class SystemErrorTests
{
    /// <summary>EAGAIN, ENAMETOOLONG, EDQUOT, EDEADLK, ENOSPC and EEXIST in sys/errno.h of macOS.</summary>
    [Theory]
    [InlineData(35, FilePipeError.Sharing)]
    [InlineData(63, FilePipeError.NameTooLong)]
    [InlineData(69, FilePipeError.QuotaExceeded)]
    [InlineData(11, FilePipeError.Failed)]
    [InlineData(28, FilePipeError.NoSpace)]
    [InlineData(17, FilePipeError.NameTaken)]
    public void Error_number_of_macOS_has_its_own_meaning(int error, FilePipeError expected) =>
        Assert.Equal(expected, SystemError.Kind(Errno.FromMac(error), FilePipeError.Failed));

    [Theory]
    [InlineData(11, FilePipeError.Sharing)]
    [InlineData(36, FilePipeError.NameTooLong)]
    [InlineData(122, FilePipeError.QuotaExceeded)]
    [InlineData(35, FilePipeError.Failed)]
    [InlineData(63, FilePipeError.Failed)]
    [InlineData(69, FilePipeError.Failed)]
    public void Error_number_of_Linux_has_its_own_meaning(int error, FilePipeError expected) =>
        Assert.Equal(expected, SystemError.Kind(error, FilePipeError.Failed));
}
