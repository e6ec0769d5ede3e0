using System.Reflection;
using Xunit.Sdk;

namespace Millrace.Testing;

/// <summary>Runs a theory with every combination of its parameters' values: both of a Boolean, all of an enumeration.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EveryValueAttribute : DataAttribute
{
    /// <summary>A value of an enumeration to leave out.</summary>
    /// <remarks>xunit hands it in as a number.</remarks>
    public object? Except { get; set; }

    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => testMethod.GetParameters().Aggregate(
        (IEnumerable<object[]>)[[]],
        (rows, parameter) => rows.SelectMany(row => ValuesOf(parameter.ParameterType), (row, value) => (object[])[.. row, value]));

    private IEnumerable<object> ValuesOf(Type type) => type == typeof(bool)
        ? [false, true]
        : Enum.GetValues(type).Cast<object>().Where(value => Except is null || Convert.ToInt64(value) != Convert.ToInt64(Except));
}
