namespace Millrace.Lab.Advising;

/// <summary>One idea about results. A rule keeps nothing between calls and looks at nothing but the results.</summary>
internal interface IAdviceRule
{
    /// <summary>What the results suggest; nothing where they do not have what the idea needs.</summary>
    IEnumerable<Advice> Apply(SituatedCases cases);
}
