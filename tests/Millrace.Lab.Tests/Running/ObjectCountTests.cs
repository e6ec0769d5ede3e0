using Millrace.Lab.Tests.Child;

namespace Millrace.Lab.Tests.Running;

/// <summary>The estimated number of objects, held against a known number in a process that does nothing else.</summary>
public sealed class ObjectCountTests(ObjectCountTests.Measured measured) : IClassFixture<ObjectCountTests.Measured>
{
    private const int ArrayHeader = 24;
    private const double BytesPerSample = 102_400;
    private const int MinInvocations = 3;

    // What chance exceeds once in some 500 million times.
    private const double Sigmas = 6;

    [Theory]
    [InlineData(nameof(KnownObjects.Small), KnownObjects.Objects, KnownObjects.ObjectBytes)]
    [InlineData(nameof(KnownObjects.OnThreads), KnownObjects.Objects, KnownObjects.ObjectBytes)]
    [InlineData(nameof(KnownObjects.Arrays), KnownObjects.SmallArrays, KnownObjects.SmallArrayBytes + ArrayHeader)]
    public void Error_of_the_estimate_is_within_its_standard_deviation(string method, int objects, int bytes)
    {
        double chance = 1 - Math.Exp(-bytes / BytesPerSample);
        double ofOneInvocation = Math.Sqrt(objects * (1 - chance) / chance);
        double stdDev = Number(method, "stdDev");
        Assert.InRange(stdDev, 0, 1.5 * ofOneInvocation / Math.Sqrt(MinInvocations));
        Assert.InRange(Number(method, "objects"), objects - (Sigmas * stdDev), objects + (Sigmas * stdDev));
    }

    [Fact]
    public void Large_objects_are_all_sampled()
    {
        // The collections that they cause make the runtime allocate some 20 small objects, one of which may be sampled.
        double stdDev = Number(nameof(KnownObjects.Large), "stdDev");
        Assert.InRange(
            Number(nameof(KnownObjects.Large), "objects"),
            KnownObjects.LargeArrays - 1,
            KnownObjects.LargeArrays + 1 + (Sigmas * stdDev));
    }

    [Fact]
    public void Method_without_allocations_has_no_objects() => Assert.Equal(0, Number(nameof(KnownObjects.None), "objects"));

    [Fact]
    public void Too_few_allocations_have_a_reason_and_no_number()
    {
        JsonElement one = measured.Load.GetProperty(nameof(KnownObjects.One));
        Assert.Equal(JsonValueKind.Null, one.GetProperty("objects").ValueKind);
        Assert.Contains("too little", one.GetProperty("reason").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Sampling_ends_with_the_pass() =>
        Assert.All(measured.Load.EnumerateObject(), method => Assert.False(method.Value.GetProperty("stillSampling").GetBoolean()));

    [Theory]
    [InlineData(nameof(KnownObjects.Small))]
    [InlineData(nameof(KnownObjects.One))]
    [InlineData(nameof(KnownObjects.None))]
    public void Allocated_bytes_do_not_change_after_the_pass(string method) =>
        Assert.Equal(Number(method, "bytesBefore"), Number(method, "bytesAfter"));

    private double Number(string method, string name) => measured.Load.GetProperty(method).GetProperty(name).GetDouble();

    public sealed class Measured
    {
        public JsonElement Load { get; } = JsonDocument.Parse(ChildProgram.Run("known-objects")).RootElement;
    }
}
