using System.Collections.Concurrent;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Parameters;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Millrace.Lab.Running;

/// <summary>
/// The methods of a benchmark class as BenchmarkDotNet finds them, and cases of them with any parameters: a plan is not
/// the full product of all parameters, which is the only thing that attributes can say.
/// </summary>
internal sealed class BenchmarkCatalog
{
    private static readonly ConcurrentDictionary<Type, BenchmarkCatalog> Catalogs = new();

    private readonly ImmutableConfig _config;
    private readonly Dictionary<string, Descriptor> _methods;
    private readonly ParameterDefinition[] _parameters;

    private BenchmarkCatalog(Type benchmarkClass)
    {
        BenchmarkRunInfo info = BenchmarkConverter.TypeToBenchmarks(
            benchmarkClass, ManualConfig.CreateEmpty().AddJob(OneInvocation));
        _config = info.Config;
        _methods = info.BenchmarksCases
            .Select(benchmark => benchmark.Descriptor)
            .DistinctBy(descriptor => descriptor.WorkloadMethod.Name)
            .ToDictionary(descriptor => descriptor.WorkloadMethod.Name, StringComparer.Ordinal);
        _parameters = [.. info.BenchmarksCases[0].Parameters.Items.Select(item => item.Definition)];
    }

    /// <summary>
    /// One invocation per measurement, no pilot, no overhead, no collection in between: a whole file is long enough to
    /// be timed by itself, and the rounds decide when it runs.
    /// </summary>
    public static Job OneInvocation { get; } = new Job("Rounds")
        .WithStrategy(RunStrategy.Monitoring)
        .WithInvocationCount(1)
        .WithUnrollFactor(1)
        .WithEvaluateOverhead(false)
        .WithGcForce(false)
        .Freeze();

    /// <summary>The catalog of a class, which is inspected once.</summary>
    public static BenchmarkCatalog Of(Type benchmarkClass) =>
        Catalogs.GetOrAdd(benchmarkClass, static type => new BenchmarkCatalog(type));

    /// <summary>The names of the methods, in the order of the class.</summary>
    public IReadOnlyCollection<string> Methods => _methods.Keys;

    /// <summary>Makes a case.</summary>
    /// <param name="method">A name from <see cref="Methods"/>.</param>
    /// <param name="values">A value for every parameter of the class, by name.</param>
    public BenchmarkCase Create(string method, IReadOnlyDictionary<string, object> values)
    {
        ParameterInstance[] parameters =
        [
            .. _parameters.Select(
                definition => new ParameterInstance(definition, values[definition.Name], SummaryStyle.Default)),
        ];
        return BenchmarkCase.Create(
            _methods[method], OneInvocation, new ParameterInstances(parameters), _config);
    }
}
