namespace Millrace.Transfer.Server.Tests.Infrastructure;

internal static class Pairs
{
    /// <summary>Every value of one kind with every value of another.</summary>
    public static TheoryData<T1, T2> Of<T1, T2>(IEnumerable<T1> first, params T2[] second)
    {
        var data = new TheoryData<T1, T2>();
        foreach ((T1 one, T2 two) in from one in first from two in second select (one, two))
        {
            data.Add(one, two);
        }

        return data;
    }
}
