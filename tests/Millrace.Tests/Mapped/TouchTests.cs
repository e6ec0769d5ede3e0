using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Tests.Mapped;

/// <summary>Faults inside the kernel enter pages, and report as an error what would have ended the process.</summary>
public sealed unsafe class TouchTests
{
    private const int Bytes = 1024 * 1024;

    [MappedFact]
    public void This_kernel_can_be_made_to_touch_memory() => Assert.True(MemoryMap.CanTouch);

    [MappedFact]
    public void A_page_that_the_file_no_longer_reaches_is_reported()
    {
        string path = TestFolder.NewFile(Bytes);
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
        MappedBlock block = MappedBlock.TryMap(file, 0, Bytes, owner: this)!;
        Assert.True(MemoryMap.TryTouch(block.Pointer, Bytes));

        RandomAccess.SetLength(file, Bytes / 2);

        Assert.True(MemoryMap.TryTouch(block.Pointer, Bytes / 2));
        Assert.False(MemoryMap.TryTouch(block.Pointer, Bytes));
        Assert.False(MemoryMap.TryTouch(block.At(Bytes - MemoryMap.PageBytes), MemoryMap.PageBytes));
        block.Release();
    }

    [MappedFact]
    public void Pages_that_a_fault_would_wait_for_are_found_between_those_touched()
    {
        string path = TestFolder.NewFile(Bytes);
        ColdFile.Evict(path);
        using SafeFileHandle file = File.OpenHandle(path);
        MappedBlock block = MappedBlock.TryMap(file, 0, Bytes, owner: this)!;
        int pages = Bytes / MemoryMap.PageBytes;

        Assert.False(PageCache.FindsAll(block.Pointer, pages));
        Assert.Equal(0, MemoryMap.Populate(block.Pointer, Bytes));
        Assert.True(PageCache.FindsAll(block.Pointer, pages));
        block.Release();
    }

    [MappedFact]
    public void Only_the_owner_may_ask_which_pages_are_in_the_cache()
    {
        using SafeFileHandle own = File.OpenHandle(TestFolder.NewFile(1));
        using SafeFileHandle system = File.OpenHandle("/proc/sys/kernel/ostype");

        Assert.True(NamedFile.IsOwned(own));
        Assert.Equal(Environment.IsPrivilegedProcess, NamedFile.IsOwned(system));
    }
}
