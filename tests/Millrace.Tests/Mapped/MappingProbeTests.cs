using Microsoft.Win32.SafeHandles;
using Millrace.Sources;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Mapped;

public sealed class MappingProbeTests
{
    private const int Window = MappedSource.WindowBytes;

    [Fact]
    public void The_cost_of_mapping_a_file_in_the_cache_is_measured()
    {
        using SafeFileHandle file = File.OpenHandle(TestFolder.SharedFile(4 * Window));

        double? cost = MappingProbe.NanosecondsPerMiB(file, 1, 4 * Window);

        Assert.Equal(Mapping.Possible, cost > 0);
    }

    [Fact]
    public void A_part_without_a_whole_window_in_its_middle_has_no_measured_cost()
    {
        using SafeFileHandle file = File.OpenHandle(TestFolder.SharedFile(4 * Window));

        Assert.Null(MappingProbe.NanosecondsPerMiB(file, 1, Window));
        Assert.Null(MappingProbe.NanosecondsPerMiB(file, Window + 1, (2 * Window) - 1));
    }

    [Fact]
    public void A_file_on_the_disk_alone_is_not_measured()
    {
        string path = TestFolder.NewFile(4 * Window);
        if (Eviction.TryEvict(path))
        {
            using SafeFileHandle file = File.OpenHandle(path);

            Assert.Null(MappingProbe.NanosecondsPerMiB(file, 0, 4 * Window));
        }
    }
}
