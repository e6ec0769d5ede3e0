using System.Runtime.Versioning;
using Millrace.Lab.Interop;
using Millrace.Lab.Machine;

namespace Millrace.Lab.Tests.Files;

[SupportedOSPlatform("linux")]
public sealed unsafe class CacheControlTests : FolderTests
{
    private const int Bytes = 8 * 1024 * 1024;

    private readonly TestFile _file;

    public CacheControlTests()
    {
        _file = TestFile.OfIncrements(Folder.Path, Bytes);
        if (OperatingSystem.IsLinux())
        {
            TestFileMaker.Write(_file, TestFileMaker.LargeWrite);
        }
    }

    [NeedsFact(Need.Linux)]
    public void File_is_resident_after_writing_and_after_reading_but_not_after_dropping()
    {
        using var view = new PageCacheView(_file.Path);
        Assert.Equal(1, view.ResidentFraction());
        view.Drop();
        Assert.Equal(0, view.ResidentFraction());
        view.ReadIn();
        Assert.Equal(1, view.ResidentFraction());
    }

    [NeedsFact(Need.Linux)]
    public void Reading_one_page_makes_one_page_resident()
    {
        using var view = new PageCacheView(_file.Path);
        view.Drop();

        // Without read-ahead, which may otherwise bring in all of 8 MiB.
        using (var stream = new FileStream(_file.Path, FileMode.Open, FileAccess.Read, FileShare.Read, 0, FileOptions.RandomAccess))
        {
            stream.ReadExactly(new byte[Environment.SystemPageSize]);
        }

        Assert.InRange(view.ResidentFraction(), (double)Environment.SystemPageSize / Bytes, 0.1);
    }

    [NeedsFact(Need.Linux)]
    public void Cold_state_is_established_and_verified()
    {
        using CacheControl control = CacheControl.Open(_file);
        Assert.Null(control.Prepare(CacheState.Cold, CacheFill.None));
        using var view = new PageCacheView(_file.Path);
        Assert.Equal(0, view.ResidentFraction());
    }

    [NeedsFact(Need.Linux)]
    public void Undroppable_pages_are_a_violation()
    {
        // Mapped and touched pages stay in the cache, whatever the advice.
        using Microsoft.Win32.SafeHandles.SafeFileHandle handle = File.OpenHandle(_file.Path);
        nint address = LinuxFile.Map(0, Bytes, LinuxFile.ProtectionRead, LinuxFile.MapShared, handle, 0);
        int sum = 0;
        for (int i = 0; i < Bytes; i += Environment.SystemPageSize)
        {
            sum += *(byte*)(address + i);
        }

        using CacheControl control = CacheControl.Open(_file);
        string? violation = control.Prepare(CacheState.Cold, CacheFill.None);
        Assert.Equal(0, LinuxFile.Unmap(address, Bytes));
        Assert.True(sum >= 0);
        Assert.StartsWith("not cold", violation, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Linux)]
    public void Evicted_file_is_cached_again_in_the_stated_way()
    {
        using CacheControl control = CacheControl.Open(_file);
        Assert.Null(control.Prepare(CacheState.Hot, CacheFill.LargeWrites));
        using var view = new PageCacheView(_file.Path);
        view.Drop();
        DateTime before = File.GetLastWriteTimeUtc(_file.Path);
        Assert.Null(control.Prepare(CacheState.Hot, CacheFill.LargeWrites));
        Assert.Equal(1, view.ResidentFraction());
        Assert.True(File.GetLastWriteTimeUtc(_file.Path) > before, "Cached by writing again, not by reading.");
        Assert.Equal(_file.Checksum, UserFile.Inspect(_file.Path).Checksum);
    }

    [Fact]
    public void Names_of_fills_round_trip()
    {
        Assert.All(Enum.GetValues<CacheFill>(), fill => Assert.Equal(fill, CacheNames.Parse(CacheNames.ToText(fill))));
    }

    [NeedsFact(Need.Linux)]
    public void Every_fill_caches_the_same_content()
    {
        foreach (CacheFill fill in new[] { CacheFill.SmallWrites, CacheFill.ReadBack, CacheFill.LargeWrites })
        {
            Assert.Equal(fill, CacheControl.Establish(_file, fill));
            using var view = new PageCacheView(_file.Path);
            Assert.Equal(1, view.ResidentFraction());
            Assert.Equal(_file.Checksum, UserFile.Inspect(_file.Path).Checksum);
        }
    }

    [NeedsFact(Need.Linux)]
    public void Memory_file_systems_have_no_cold_state()
    {
        TestFile inMemory = TestFile.OfIncrements("/dev/shm", 8);
        Assert.Contains("tmpfs", CacheControl.WhyNoCold(inMemory), StringComparison.Ordinal);
        Assert.Null(CacheControl.WhyNoCold(_file));
    }

    [NeedsFact(Need.Linux)]
    public void File_that_the_laboratory_is_about_to_make_can_be_cold() =>
        Assert.Null(CacheControl.WhyNoCold(TestFile.OfIncrements(Folder["missing"], Bytes)));

    [Fact]
    public void File_larger_than_memory_cannot_be_hot()
    {
        TestFile huge = _file with { Bytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes };
        Assert.NotNull(CacheControl.WhyNoHot(huge));
        Assert.Null(CacheControl.WhyNoHot(_file));
    }
}
