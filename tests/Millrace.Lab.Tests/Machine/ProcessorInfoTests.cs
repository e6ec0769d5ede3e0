using Millrace.Lab.Machine;

namespace Millrace.Lab.Tests.Machine;

public sealed class ProcessorInfoTests
{
    [Fact]
    public void Cores_of_all_packages_are_counted_and_a_name_is_stated_once()
    {
        string[] lines =
        [
            .. Processor("AMD EPYC 9634", package: 0), "",
            .. Processor("AMD EPYC 9634", package: 0), "",
            .. Processor("AMD EPYC 9634", package: 1), "",
        ];
        Assert.Equal(new ProcessorInfo("AMD EPYC 9634", 8, null), ProcessorInfo.Parse(lines));
    }

    [Fact]
    public void Processor_without_cores_and_name_is_unknown() =>
        Assert.Equal(new ProcessorInfo("unknown", null, null), ProcessorInfo.Parse(["processor\t: 0", "BogoMIPS\t: 50.00"]));

    private static string[] Processor(string name, int package) =>
        ["processor\t: 0", $"model name\t: {name}", $"physical id\t: {package}", "cpu cores\t: 4", "power management:"];
}
