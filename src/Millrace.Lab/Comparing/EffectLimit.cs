namespace Millrace.Lab.Comparing;

/// <summary>What a difference has to exceed.</summary>
/// <param name="Threshold">Differences up to this, as a part of 1, are noise: 0.05 lets ratios of 0.952 to 1.05 pass.</param>
/// <param name="Origin">Where the threshold comes from.</param>
/// <param name="LaunchSpread">
/// Standard deviation, as a part of 1, of a ratio from one launch to the next: what is known of it besides the launches that
/// are compared.
/// </param>
internal sealed record EffectLimit(double Threshold, string Origin, double LaunchSpread = EffectLimit.UsualLaunchSpread)
{
    /// <summary>The smallest effect that is ever named.</summary>
    /// <remarks>
    /// 2 %: what the layout of code and memory alone changes (Mytkowicz et al. 2009 found more). Nobody should act on less.
    /// </remarks>
    public const double MinimumEffect = 0.02;

    /// <summary>How much ratios differ between launches when nothing else is known.</summary>
    /// <remarks>
    /// 4 %: two methods whose own times differ by nearly 3 % from process to process. With 3 % here, methods that do so were
    /// told from themselves in more than 4 % of simulated comparisons; with 4 % in about 2 %.
    /// </remarks>
    public const double UsualLaunchSpread = 0.04;

    /// <summary>The smallest effect and nothing else.</summary>
    public static EffectLimit Minimum { get; } = new(MinimumEffect, "the smallest effect that is named");

    /// <summary>The stricter of two.</summary>
    public EffectLimit Max(EffectLimit other)
    {
        ArgumentNullException.ThrowIfNull(other);
        EffectLimit stricter = other.Threshold > Threshold ? other : this;
        return stricter with { LaunchSpread = Math.Max(LaunchSpread, other.LaunchSpread) };
    }
}
